"""Which pozo this is. Read here and by the build, so that a start need not search the installed packages."""

VERSION = "0.1.0"
