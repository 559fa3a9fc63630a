"""Everything the controller is made of, each part built once and handed to those that need it.

Only builds: what a part does is in its own file, when it runs is in table.py.
"""

from dicewire import codes

from controller.clock import Uptime
from controller.events import Events, Faults
from controller.files import Files
from controller.gamefile import GameFile
from controller.lamps import Lamps
from controller.log import Log
from controller.outcome import Outcome
from controller.panel import Panel
from controller.reader.consensus import Consensus
from controller.reader.tags import TagReader
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
        self.tag_reader = TagReader(board.tags, self.settings)
        self.reader = Consensus(((codes.READER_TAGS, self.tag_reader),))
        self.panel = Panel(board.panel)
        self.selftest = SelfTest(self)
        self.round = Round(self)
        self.panel.on_key = self.round.on_key
