"""`make hil`: the table as its users have it, on a real kernel. docs/bench.md says what it does and how it is made."""
