import { lockDataFolder } from './data-folder-lock.ts'

/** Holds the lock of the data folder it is given, says so, and lives until it is killed. */
lockDataFolder(process.argv[2]!)
process.send?.('locked')
process.on('message', () => {})
