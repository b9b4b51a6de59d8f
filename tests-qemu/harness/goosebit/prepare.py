"""Creates gooseBit's database (GOOSEBIT_DB_URI) with the migrations that it brings along."""

import asyncio
from pathlib import Path

import goosebit
from aerich import Command
from goosebit.db.config import TORTOISE_CONF


async def main() -> None:
    migrations = Path(goosebit.__file__).parent / "db" / "migrations"
    async with Command(tortoise_config=TORTOISE_CONF, location=str(migrations)) as command:
        await command.upgrade(run_in_transaction=True)


asyncio.run(main())
