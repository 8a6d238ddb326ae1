import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { lockDataFolder } from '../data-folder.ts'

/** Holds the lock of the given data folder, reports it, and runs until it is killed. */
lockDataFolder(process.argv[2]!)
// Nothing refers to the lock now: garbage collection must not release it.
setFlagsFromString('--expose-gc')
runInNewContext('gc')()
process.send?.('locked')
process.on('message', () => {})
