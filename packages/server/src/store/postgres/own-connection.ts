import { Client, type ClientSettings, clientSettings } from './client.ts'
import { asUnavailable } from './unavailable.ts'

/** Does work on a connection that is opened for it and closed after it. Rejects with `StoreUnavailable`. */
export async function onOwnConnection<T>(
  url: string,
  work: (client: Client) => Promise<T>,
  settings: Partial<ClientSettings> = {},
): Promise<T> {
  const client = new Client({ ...clientSettings(url), ...settings })
  // The running query gets the error that breaks the connection.
  client.on('error', () => {})
  try {
    await client.connect()
    return await work(client)
  } catch (error) {
    throw asUnavailable(error)
  } finally {
    await client.end().catch(() => {})
  }
}
