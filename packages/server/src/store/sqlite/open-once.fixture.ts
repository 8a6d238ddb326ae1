import { openSqliteStore } from './open.ts'

/** Opens the data folder it is given and tells its deployment's secret. */
const store = await openSqliteStore(process.argv[2]!)
process.send?.((await store.secret()).toString('hex'))
await store.close()
process.disconnect?.()
