"""Starts the table: builds the board, then runs the loop for ever.

Which board it is stands in board.txt beside this file's working directory (one word, as in boards/), else it follows from the
port that runs it. boot.py has put the chosen program's folder before all others, so `boards` and `controller` are that
program's. An error that reaches this file is a defect: it is printed and the controller starts anew.
"""

import gc
import sys

import micropython

if hasattr(micropython, "kbd_intr"):
    micropython.kbd_intr(-1)  # before the slow imports: a host that speaks meanwhile sends a byte 3 sooner or later

_BY_PORT = {"rp2": "pico", "linux": "twin"}


def board_name():
    try:
        with open("board.txt") as f:
            return f.read().strip()
    except OSError:
        return _BY_PORT[sys.platform]


def reads_by_camera(board):
    from controller import fitted
    from controller.files import Files

    try:
        files = Files(board.state_dir)
    except OSError:  # a flash that can't be read: the table says so itself
        return False
    return bool(fitted.readers(files) & fitted.CAMERA)


def main():
    board = None
    started = False
    try:
        loaded = _in_place()
        name = board_name()
        board = getattr(__import__("boards." + name), name).Board()
        if reads_by_camera(board):  # first of all: later there is no room of this size in one piece
            from controller.files import Files
            from controller.reader import camera

            board.camera_buffers = camera.buffers(Files(board.state_dir))
        from controller.table import Table

        table = Table(board)
        table.start()
        loaded()
        started = True
        table.run()
    except Exception as error:
        sys.print_exception(error)
        if not started:
            _not_started(error)
        _start_anew(board)


def _in_place():
    """The code of what is loaded from here on stays in flash, where port and program know how. -> what to call afterwards."""
    if sys.platform != "rp2":
        return gc.collect
    try:
        from boards.inplace import begin, loaded

        begin()
    except (
        Exception
    ) as error:  # a program of before has none; whatever it is, a table that runs from the heap still runs
        sys.print_exception(error)
        return gc.collect
    return loaded


def _not_started(error):
    import slots

    if slots.here:
        slots.here.start_failed(f"{type(error).__name__}: {error}")


def _start_anew(board):
    if board is None:  # the program has not got as far as its board
        import machine

        machine.reset()
    board.crashed()


if __name__ == "__main__":
    main()
