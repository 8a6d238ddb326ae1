import assert from 'node:assert/strict'
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { connect as connectHttp2 } from 'node:http2'
import { connect } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { after, describe, it } from 'node:test'
import { freePort } from '../../packages/server/src/trial/servers/free-port.ts'
import { certificate, hasOpenssl } from '../harness/certificate.ts'
import { type Fleet, startFleet } from '../harness/fleet.ts'
import { WHOLE_RANGE } from '../harness/fleet-data.ts'
import { temporaryFolder } from '../harness/temporary-folder.ts'

const hasNginx = spawnSync('nginx', ['-v']).status === 0
const skip = hasNginx && hasOpenssl ? false : 'nginx or openssl is not installed'

/** The blocks of docs/operating.md, the `location` in its place in the `server`. */
function documentedServer(): string {
  const page = readFileSync(new URL('../../docs/operating.md', import.meta.url), 'utf8')
  const [location, server] = [...page.matchAll(/```nginx\n(.*?)```/gs)].map(([, block]) => block!)
  assert.ok(location !== undefined && server !== undefined)
  return server.replace('    # The location from above.\n', location)
}

/** Starts nginx with the documented block before a server, on a port of its own. */
async function startNginx(fleet: Fleet, port: number): Promise<ChildProcess> {
  const folder = temporaryFolder()
  const [, cert, , key] = certificate().args
  const block = documentedServer()
    .replace('listen 443', `listen 127.0.0.1:${port}`)
    .replace('127.0.0.1:7070', `127.0.0.1:${fleet.server.port}`)
    .replace('/etc/ssl/fleetgate/cert.pem', cert!)
    .replace('/etc/ssl/fleetgate/key.pem', key!)
  const file = join(folder, 'nginx.conf')
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((name) => `${name}_temp_path ${join(folder, name)};`)
    .join('\n')
  writeFileSync(
    file,
    `daemon off; pid ${join(folder, 'pid')}; error_log stderr;
events {}
http {
access_log off;
${paths}
${block}
}`,
  )
  const nginx = spawn('nginx', ['-p', folder, '-c', file], {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  while (!(await accepts(port))) assert.equal(nginx.exitCode, null, 'nginx has ended')
  return nginx
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.on('connect', () => resolve(true)).on('error', () => resolve(false))
    socket.on('connect', () => socket.destroy())
  })
}

describe('nginx with the documented block', { skip }, async () => {
  if (skip !== false) return
  const fleet = await startFleet({ full: 0, plain: 1 }, ['--trust-proxy', 'loopback'])
  const port = await freePort()
  const nginx = await startNginx(fleet, port)
  after(() => nginx.kill('SIGQUIT'))

  it('speaks HTTP/2 with clients, several requests at once', async () => {
    const { key, objects } = fleet.take()
    const session = connectHttp2(`https://127.0.0.1:${port}`, { rejectUnauthorized: false })
    const paths = ['', `/${objects.van}`, `/${objects.longHaul}/positions?${WHOLE_RANGE}`]
    const answers = await Promise.all(
      paths.map(async (path) => {
        const stream = session.request({ ':path': `/public/v1/objects${path}`, 'x-api-key': key })
        const [headers] = await once(stream, 'response')
        assert.equal(headers[':status'], 200)
        assert.equal(headers['x-ratelimit-limit'], '10')
        return JSON.parse(await text(stream)).result
      }),
    )
    session.close()
    assert.equal(session.alpnProtocol, 'h2')
    assert.equal(answers[0].length, 4)
    assert.equal(answers[1].id, objects.van)
    assert.equal(answers[2].length, 1200)
  })
})
