import { openSqliteStore } from './open.ts'

/** Opens the given data folder and prints the secret of its deployment. */
const store = await openSqliteStore(process.argv[2]!)
process.send?.((await store.secret()).export().toString('hex'))
await store.close()
process.disconnect?.()
