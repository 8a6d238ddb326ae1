import { Client, clientSettings } from './client.ts'
import { assertDurable } from './durability.ts'
import { assertOwnSession } from './session-pooling.ts'
import { asUnavailable } from './unavailable.ts'

/**
 * Asks the server, before anything is written, whether it keeps what Fleetgate relies on. Rejects with
 * `SessionsShared`, with `DataLossPossible` unless that is allowed, or with `StoreUnavailable`.
 */
export async function checkServer(url: string, allowDataLoss: boolean): Promise<void> {
  const client = new Client(clientSettings(url))
  // The running query gets the error that breaks the connection.
  client.on('error', () => {})
  try {
    await client.connect()
    await assertOwnSession(client, url)
    if (!allowDataLoss) await assertDurable(client)
  } catch (error) {
    throw asUnavailable(error)
  } finally {
    await client.end().catch(() => {})
  }
}
