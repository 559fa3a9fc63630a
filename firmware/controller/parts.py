"""Everything the controller is made of, each part built once and handed to those that need it.

Only builds: what a part does is in its own file, when it runs is in table.py.
"""

from dicewire import codes

from controller import fitted
from controller.clock import Uptime
from controller.events import Events, Faults
from controller.files import Files
from controller.gamefile import GameFile
from controller.lamps import Lamps
from controller.log import Log
from controller.outcome import Outcome
from controller.panel import Panel
from controller.reader.consensus import Consensus
from controller.round import Round
from controller.selftest import SelfTest
from controller.settings import Settings
from controller.spin import Spin
from controller.store import Store


class Parts:
    """`files` is given by a simulation that tears writes; a table has its board's."""

    def __init__(self, board, files=None):
        self.board = board
        self.files = files or Files(board.state_dir)
        self.uptime = Uptime(board.clock.ms(), board.wire_clock.ms())
        self.log = Log(self.uptime)
        self.events = Events(self.uptime, self.log)
        self.faults = Faults(self.events)
        self.settings = Settings(self.files)
        self.store = Store(self.files, board.entropy)
        self.outcome = Outcome(self.store, self.uptime, self.faults, self.settings)
        self.game_file = GameFile(self.files)
        self.lamps = Lamps(board.lamps, board.lamp_current, self.settings)
        self.spin = Spin(board.motor, board.accel, board.entropy, self.settings)
        self.readers = fitted.readers(self.files)
        self.tag_reader = self.camera_reader = self.evidence = None
        opinions = []
        if self.readers & fitted.TAGS:
            opinions.append((codes.READER_TAGS, self._fit_tags(board)))
        if self.readers & fitted.CAMERA:
            opinions.append((0, self._zoned(self._fit_camera(board))))
        self.reader = Consensus(tuple(opinions))
        self.panel = Panel(board.panel)
        self.selftest = SelfTest(self)
        self.round = Round(self)
        self.panel.on_key = self.round.on_key

    def _zoned(self, reader):
        """Only a table that was told of zones in its picture pays for them; they are looked for again at the next start."""
        if self.files.load("zones.bin") is None:
            return reader
        from controller.reader.zones import Zoned

        return Zoned(reader, self.files)

    def _fit_tags(self, board):
        from controller.reader.tags import TagReader  # 8 KB of code with its driver that a camera does without

        self.tag_reader = TagReader(board.tags, self.settings)
        return self.tag_reader

    def _fit_camera(self, board):
        """Its large buffers were taken by main.py, before all else; where nobody did so they are taken here."""
        from controller.evidence import Evidence
        from controller.reader import camera  # 25 KB of code, with what it loads, that a table with tags does without

        buffers = getattr(board, "camera_buffers", None) or camera.buffers(self.files)
        self.camera_reader = camera.reader(self.files, board.camera, self.settings, board.cover, buffers)
        self.evidence = Evidence(board.camera, buffers.strip, self.events)
        return self.camera_reader
