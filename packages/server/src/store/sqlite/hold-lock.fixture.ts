import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { lockDataFolder } from './data-folder-lock.ts'

/** Holds the lock of the data folder it is given, says so, and lives until it is killed. */
lockDataFolder(process.argv[2]!)
// Nothing refers to the lock any more: a collection must leave it standing.
setFlagsFromString('--expose-gc')
runInNewContext('gc')()
process.send?.('locked')
process.on('message', () => {})
