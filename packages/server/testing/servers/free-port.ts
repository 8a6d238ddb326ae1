import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'

const ATTEMPTS = 3

/** Starts a server. Another program may take the port before the server listens on it. */
export async function onFreePort<Server>(run: (port: number) => Promise<Server>) {
  for (let attempt = 1; ; attempt += 1) {
    const port = await freePort()
    try {
      return { port, server: await run(port) }
    } catch (error) {
      if (attempt === ATTEMPTS) throw error
    }
  }
}

/** A port of the loopback interface that is free at the moment. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}
