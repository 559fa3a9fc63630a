"""Rows of YUV 4:2:2 taken apart, in plain Python: what yuv_viper.py must agree with."""


def luma(row, out, at: int, n: int) -> None:
    """The n luma values of a row to out[at:]."""
    for i in range(n):
        out[at + i] = row[2 * i]


def chroma(row, u, v, at: int, n: int, step: int) -> None:
    """Of every `step` pixels the first pair's U and V, n of each, to u[at:] and v[at:]."""
    for i in range(n):
        u[at + i] = row[2 * step * i + 1]
        v[at + i] = row[2 * step * i + 3]
