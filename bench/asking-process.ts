/** Asks for details on request of its parent; see `detail-asker.ts`. */
import { once } from 'node:events'
import { openLoop } from './open-loop.ts'
import { goFirst } from './processor.ts'
import { detailRequest, rotation } from './requests.ts'
import type { Tenant } from './tenants.ts'

/** Requests for the details of tenants. */
export type DetailRequests = { port: number; tenants: readonly Tenant[] }

goFirst(process.pid)
for (;;) {
  const [{ port, tenants }] = (await once(process, 'message')) as [DetailRequests]
  const done = new AbortController()
  process.once('message', () => done.abort())
  process.send!(await openLoop({ port }, rotation(tenants.map(detailRequest)), done.signal))
}
