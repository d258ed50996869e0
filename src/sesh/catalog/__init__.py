"""Every session on this machine, across providers: listing and finding one."""
