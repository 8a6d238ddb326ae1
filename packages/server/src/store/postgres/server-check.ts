import { type Client, UNTOUCHED } from './client.ts'
import { assertDurable } from './durability.ts'
import { onOwnConnection } from './own-connection.ts'
import { assertOwnSession } from './session-pooling.ts'

/**
 * Asks the server, before anything is written, whether it keeps what Fleetgate relies on. Rejects with
 * `SessionsShared`, with `DataLossPossible` unless that is allowed, or with `StoreUnavailable`.
 */
export async function checkServer(url: string, allowDataLoss: boolean): Promise<void> {
  const check = async (client: Client) => {
    await assertOwnSession(client, url)
    if (!allowDataLoss) await assertDurable(client)
  }
  await onOwnConnection(url, check, UNTOUCHED)
}
