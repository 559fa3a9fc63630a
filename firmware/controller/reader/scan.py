"""The reader's hot loops: viper where there is viper, the plain twins elsewhere. Both give the same answers."""

from controller.target import ON_MICROPYTHON

if ON_MICROPYTHON:
    from controller.reader import scan_viper as loops
else:
    from controller.reader import scan_plain as loops  # type: ignore[no-redef]

apart = loops.apart
blend = loops.blend
coarse = loops.coarse
count = loops.count
cover = loops.cover
crop = loops.crop
depart = loops.depart
double = loops.double
flood = loops.flood
fold = loops.fold
grow = loops.grow
halve = loops.halve
lift_shadow = loops.lift_shadow
planes = loops.planes
probe = loops.probe
sample = loops.sample
seeds = loops.seeds
smooth = loops.smooth
spots = loops.spots
steps = loops.steps
stray = loops.stray
tally = loops.tally
unlike = loops.unlike
BIAS = 536870912
MIDDLE = 1024
