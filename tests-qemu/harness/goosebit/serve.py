"""Creates gooseBit's database (GOOSEBIT_DB_URI) with the migrations that it brings along, and serves on a port of
127.0.0.1 until standard input ends: it does not outlive the test that started it."""

import asyncio
import os
import sys
import threading
from pathlib import Path

import goosebit
import uvicorn
from aerich import Command
from goosebit.db.config import TORTOISE_CONF


async def migrate() -> None:
    migrations = Path(goosebit.__file__).parent / "db" / "migrations"
    async with Command(tortoise_config=TORTOISE_CONF, location=str(migrations)) as command:
        await command.upgrade(run_in_transaction=True)


def end_with_input() -> None:
    sys.stdin.buffer.read()
    os._exit(0)


threading.Thread(target=end_with_input, daemon=True).start()
asyncio.run(migrate())
uvicorn.run("goosebit:app", host="127.0.0.1", port=int(sys.argv[1]))
