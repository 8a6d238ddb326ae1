import { append, fixAt } from '../../../testing/store-contract/fixture.ts'
import { openSqliteStore } from './open.ts'

/** Appends batch after batch and reports each acknowledgement, while its parent listens. */
process.once('disconnect', () => process.exit())
const [folder, organization, object, first] = process.argv.slice(2)
const store = await openSqliteStore(folder!)
for (let batch = Number(first); ; batch += 1) {
  const fixes = Array.from({ length: 200 }, (_, index) => fixAt(batch * 200 + index))
  await append(store, Number(organization), Number(object), fixes)
  // A parent that has just ended is not an error: the process is notified next.
  process.send?.(batch, () => {})
}
