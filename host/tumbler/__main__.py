"""`python -m tumbler` is the command `tumbler`."""

import sys

from tumbler.cli.main import main

sys.exit(main())
