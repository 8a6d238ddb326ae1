import { clientGone } from '../../http/connections/client-gone.ts'
import type { ReaderView } from '../../store/change-log.ts'
import { StoreUnavailable } from '../../store/store.ts'
import type { Call } from '../operation.ts'

/** Reads in one view, unless the client has gone. Rejects if the organization was deleted meanwhile. */
export async function viewOf<Read>(
  { api, organization, request }: Call,
  read: (view: ReaderView) => Promise<Read>,
): Promise<Read> {
  const gone = clientGone(request.connection)
  gone.throwIfAborted()
  const found = await api.views.view(
    organization.id,
    async (view) => ({ read: await read(view) }),
    gone,
  )
  if (found === null) throw new StoreUnavailable('The organization was deleted while it was read.')
  return found.read
}
