"""Hot loops for symbols and picture files: viper where there is viper, the plain twins elsewhere. Both give the same answers."""

from controller.reader import plate
from controller.target import ON_MICROPYTHON

if ON_MICROPYTHON:
    from controller.reader import scan_viper as loops
else:
    from controller.reader import scan_plain as loops  # type: ignore[no-redef]

apart = loops.apart
blend = loops.blend
count = loops.count
depart = loops.depart
double = loops.double
flood = loops.flood
grow = plate.grow
halve = loops.halve
lift_shadow = loops.lift_shadow
planes = loops.planes
probe = loops.probe
seeds = loops.seeds
smooth = plate.smooth
tally = loops.tally
