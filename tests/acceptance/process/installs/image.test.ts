/**
 * The image, built by buildah from the Dockerfile and run in a chroot. `INSTALLS=whole` builds it, which takes some
 * minutes, root and a registry. Its base image is a stand-in: `node:24-slim` made of this machine's own files.
 */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { globSync, readFileSync } from 'node:fs'
import { after, before, describe, it } from 'node:test'
import { request } from '../../harness/client.ts'
import { endedOf } from '../../harness/fleetgate.ts'
import { ON_FREE_PORTS, type ServerProcess, served } from '../../harness/server.ts'
import { type Built, buildImage, withoutBuilder } from './builder.ts'
import { assertConsole, withoutInstalls } from './installation.ts'

/** The process of the container itself: an engine would signal it, and buildah does not pass signals on. */
function lastDescendant(pid: number): number {
  const children = globSync(`/proc/${pid}/task/*/children`)
    .flatMap((file) => readFileSync(file, 'utf8').split(' '))
    .filter((child) => child !== '')
  return children.length === 0 ? pid : lastDescendant(Number(children[0]))
}

describe('The image that a builder makes', { skip: withoutInstalls || withoutBuilder }, () => {
  let image: Built
  let running: ReturnType<Built['start']>
  let server: ServerProcess

  before(async () => {
    image = buildImage()
    const { Entrypoint, Cmd } = image.configuration
    running = image.start([...Entrypoint, ...Cmd, ...ON_FREE_PORTS])
    server = await served(running)
  })
  after(() => server?.kill())

  /** The exit code of the image's health check, which asks the port of the operator's listener. */
  async function health(port: string): Promise<number | null> {
    const [, ...command] = image.configuration.Healthcheck.Test
    return (await endedOf(image.start(command, [`FLEETGATE_ADMIN_PORT=${port}`]))).code
  }

  it('serves the API', async () => {
    assert.equal((await request(server.api, '/openapi.json')).status, 200)
  })

  it('shows the console', () => assertConsole(server.admin))

  it('runs as the user node, whose is the data folder', async () => {
    const program = `const { statSync } = require('node:fs')
      const { uid, mode } = statSync('/var/lib/fleetgate')
      console.log(process.getuid(), uid, (mode & 0o777).toString(8))`
    const { stdout } = await endedOf(image.start(['node', '-e', program]))
    assert.equal(stdout, '1000 1000 700\n')
  })

  it('is healthy while it serves, and unhealthy after it', async () => {
    const { port } = new URL(server.admin)
    assert.equal(await health(port), 0)
    const ended = once(running, 'exit')
    process.kill(lastDescendant(running.pid!), 'SIGTERM')
    assert.equal((await ended)[0], 0)
    assert.equal(await health(port), 1)
  })
})
