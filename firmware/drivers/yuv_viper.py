# ruff: noqa: F821
"""Rows of YUV 4:2:2 taken apart, in viper: 10 cycles a pixel. See yuv_plain.py for what each does."""

import micropython


@micropython.viper
def luma(row: ptr8, out: ptr8, at: int, n: int):
    for i in range(n):
        out[at + i] = row[i + i]


@micropython.viper
def chroma(row: ptr8, u: ptr8, v: ptr8, at: int, n: int, step: int):
    k = 1
    for i in range(n):
        u[at + i] = row[k]
        v[at + i] = row[k + 2]
        k += step + step
