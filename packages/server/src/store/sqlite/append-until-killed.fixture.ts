import { append, fixAt } from '../contract/fixture.ts'
import { openSqliteStore } from './open.ts'

/** Appends batch after batch and tells of each when it is acknowledged, while there is who listens. */
process.once('disconnect', () => process.exit())
const [folder, organization, object, first] = process.argv.slice(2)
const store = await openSqliteStore(folder!)
for (let batch = Number(first); ; batch += 1) {
  const fixes = Array.from({ length: 200 }, (_, index) => fixAt(batch * 200 + index))
  await append(store, Number(organization), Number(object), fixes)
  // A reader that has just gone is not an error: the process learns of it next.
  process.send?.(batch, () => {})
}
