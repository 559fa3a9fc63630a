"""The reader's hot loops: viper where there is viper, the plain twins elsewhere. Both give the same answers."""

from controller.target import ON_MICROPYTHON

if ON_MICROPYTHON:
    from controller.reader.scan_viper import grow, halve, planes, seeds, smooth
else:
    from controller.reader.scan_plain import grow, halve, planes, seeds, smooth

__all__ = ("grow", "halve", "planes", "seeds", "smooth")
