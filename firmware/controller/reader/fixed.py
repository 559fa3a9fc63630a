"""How a map and its points are stored for plate.sample(): viper reads words unsigned, so each number has something added."""

BIAS = 536870912  # to a map's numbers
MIDDLE = 1024  # to a point's, which are sixteenths of a millimetre
