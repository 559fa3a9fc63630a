"""Hot loops of the table's own reader: viper where there is viper, the plain twins elsewhere. Picture files have more: scan.py."""

from controller.target import ON_MICROPYTHON

if ON_MICROPYTHON:
    from controller.reader import plate_viper as loops
else:
    from controller.reader import plate_plain as loops  # type: ignore[no-redef]

brighter = loops.brighter
coarse = loops.coarse
cover = loops.cover
crop = loops.crop
darker = loops.darker
energy = loops.energy
gather = loops.gather
fold = loops.fold
grow = loops.grow
marked = loops.marked
sample = loops.sample
smooth = loops.smooth
spots = loops.spots
steps = loops.steps
stray = loops.stray
