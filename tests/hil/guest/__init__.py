"""What runs in the bench's machine: hands, electricity and eyes at the table."""
