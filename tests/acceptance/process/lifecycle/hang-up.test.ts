import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { copyFileSync, readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { after, describe, it } from 'node:test'
import { connect, type TLSSocket } from 'node:tls'
import { certificate, hasOpenssl } from '../../harness/certificate.ts'
import { request } from '../../harness/client.ts'
import { isEmbedded } from '../../harness/deployment.ts'
import { BIN, type Json, startProgram } from '../../harness/fleetgate.ts'
import { newDeployment } from '../../harness/new-deployment.ts'
import { ON_FREE_PORTS, type ServerProcess, serve, served } from '../../harness/server.ts'
import { descendantsOf } from '../../harness/watched-process.ts'

const PING = 'GET /public/v1/ping HTTP/1.1\r\nHost: localhost\r\n\r\n'

const noOpenssl = hasOpenssl ? false : 'openssl is not installed'

const hangUp = ({ pid }: Pick<ServerProcess, 'pid'>) => process.kill(pid, 'SIGHUP')
const isIgnored = ({ msg }: Json) => /^SIGHUP is ignored/.test(msg)
const isRenewed = ({ msg }: Json) => msg === 'the certificate was reloaded'
const isKept = ({ msg }: Json) => /^the certificate could not be reloaded/.test(msg)

async function opened(...args: string[]): Promise<ServerProcess> {
  const server = await serve(await newDeployment(), ['--geocoder', 'off', ...args])
  after(() => server.kill())
  return server
}

/** A new connection to a listener. It takes any certificate. */
async function connected(url: string): Promise<TLSSocket> {
  const socket = connect({
    port: Number(new URL(url).port),
    host: '127.0.0.1',
    rejectUnauthorized: false,
  })
  await once(socket, 'secureConnect')
  return socket
}

async function shownBy(url: string): Promise<string> {
  await using socket = await connected(url)
  return socket.getPeerX509Certificate()!.fingerprint256
}

const fingerprintOf = (file: string) => new X509Certificate(readFileSync(file)).fingerprint256

async function pinged(socket: TLSSocket): Promise<string> {
  socket.write(PING)
  const [answer] = await once(socket, 'data')
  return String(answer)
}

/** Makes a process send SIGHUP to itself when it has run `bin/fleetgate.js`, and begins to load the program. */
const HANGS_UP_EARLY = `import { registerHooks } from 'node:module'
registerHooks({
  load(url, context, next) {
    if (/[/]src[/]main[.][jt]s$/.test(url)) process.kill(process.pid, 'SIGHUP')
    return next(url, context)
  },
})`

describe('SIGHUP', () => {
  for (const args of isEmbedded ? [[]] : [[], ['--processes', '2']]) {
    it(`ends no server that is being loaded: serve ${args.join(' ')}`, async () => {
      const preloaded = `--import=data:text/javascript,${encodeURIComponent(HANGS_UP_EARLY)}`
      const env = { NODE_OPTIONS: preloaded }
      const server = await serve(await newDeployment(), ['--geocoder', 'off', ...args], env)
      after(() => server.kill())
      assert.equal((await request(server.api, '/public/v1/ping')).status, 200)
      assert.equal(await server.stop(), 0)
    })
  }

  it('is ignored by a server without a certificate, which says so', async () => {
    const server = await opened()
    hangUp(server)
    const { level } = await server.logged(isIgnored)
    assert.equal(level, 30)
    assert.equal((await request(server.api, '/public/v1/ping')).status, 200)
    assert.equal(await server.stop(), 0)
  })

  it('makes a server read its certificate again, for new connections', {
    skip: noOpenssl,
  }, async () => {
    const [before, renewed] = [certificate(), certificate()]
    const [, cert, , key] = before.args as [string, string, string, string]
    const [, newCert, , newKey] = renewed.args as [string, string, string, string]
    const first = fingerprintOf(cert)
    const server = await opened(...before.args)
    await using open = await connected(server.api)
    copyFileSync(newCert, cert)
    copyFileSync(newKey, key)
    hangUp(server)
    const { valid_to } = await server.logged(isRenewed)
    assert.equal(valid_to, new X509Certificate(renewed.ca).validToDate.toISOString())
    for (const url of [server.api, server.feed]) {
      assert.equal(await shownBy(url), fingerprintOf(newCert))
    }
    assert.equal(open.getPeerX509Certificate()!.fingerprint256, first)
    assert.match(await pinged(open), /^HTTP\/1\.1 200 /)
    assert.equal(await server.stop(), 0)
  })

  it('leaves a server with its certificate if the files cannot be used', {
    skip: noOpenssl,
  }, async () => {
    const { args } = certificate()
    const [, cert, , key] = args as [string, string, string, string]
    const shown = fingerprintOf(cert)
    const server = await opened(...args)
    const whole = readFileSync(cert)
    const faults = [
      () => truncateSync(cert, 0),
      () => {
        writeFileSync(cert, whole)
        copyFileSync(certificate().args[3]!, key)
      },
    ]
    for (const [count, fault] of faults.entries()) {
      fault()
      hangUp(server)
      let seen = 0
      const { level, err } = await server.logged((entry) => isKept(entry) && seen++ === count)
      assert.equal(level, 50)
      assert.ok(err.message)
      assert.equal(await shownBy(server.api), shown)
    }
    assert.equal(await server.stop(), 0)
  })

  it('makes each of several processes read its certificate again', {
    skip: isEmbedded ? 'a data folder is served by one process' : noOpenssl,
  }, async () => {
    const { args } = certificate()
    const server = await opened(...args, '--processes', '2')
    for (const pid of descendantsOf(server.pid)) hangUp({ pid })
    let count = 0
    await server.logged((entry) => isRenewed(entry) && ++count === 2)
    assert.equal(await server.stop(), 0)
  })
})

describe('A server that nohup started', () => {
  const skip = spawnSync('script', ['--version']).status === 0 ? false : 'script is not installed'

  it('outlives its terminal', { skip }, async () => {
    const { args, serveArgs } = await newDeployment()
    const where = [...args, ...serveArgs, ...ON_FREE_PORTS]
    // Under npm a server stops with its launcher, which is another rule.
    const run = [
      'nohup',
      'env',
      '-u',
      'npm_lifecycle_event',
      process.execPath,
      BIN,
      'serve',
      '--geocoder',
      'off',
      ...where,
    ].join(' ')
    // The terminal of `script` closes with it. The pipes are those of this test.
    const inTerminal = `exec ${run} </dev/null >&3 2>&4`
    const launched = `exec 3>&1 4>&2; exec script -qfc '${inTerminal}' /dev/null >/dev/null 2>&1`
    const child = startProgram(['bash', '-c', launched])
    const server = await served(child)
    const [pid] = descendantsOf(child.pid!)
    after(() => process.kill(pid!, 'SIGKILL'))
    process.kill(child.pid!, 'SIGKILL')
    await server.logged(isIgnored)
    assert.equal((await request(server.api, '/public/v1/ping')).status, 200)
  })
})
