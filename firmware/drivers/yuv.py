"""Taking luma and chroma out of a row of YUV 4:2:2 (Y U Y V): viper where there is viper, its plain twin elsewhere."""

import sys

if sys.implementation.name == "micropython":
    from drivers.yuv_viper import chroma, luma
else:
    from drivers.yuv_plain import chroma, luma

__all__ = ("chroma", "luma")
