import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { describe, it } from 'node:test'
import { ADMIN, startConsole } from '../harness/admin.ts'

const MAX_FILE_BYTES = 64 * 1024 * 1024

const { operator, origin, server } = await startConsole()
const { id: busy } = await operator.post('/organizations', { name: 'Busy' })
const { id: also } = await operator.post('/organizations', { name: 'Also busy' })
const { id: quiet } = await operator.post('/organizations', { name: 'Quiet' })

/** Opens a connection and sends the head of an import, and no byte of its body. */
async function began(organization: number, length: number, more = ''): Promise<Socket> {
  const { hostname, port, host } = new URL(origin())
  const socket = connect(Number(port), hostname)
  await once(socket, 'connect')
  socket.on('error', () => {})
  socket.write(
    `POST ${ADMIN}/organizations/${organization}/import/objects?file=a.csv HTTP/1.1\r\n` +
      `Host: ${host}\r\nOrigin: ${origin()}\r\nCookie: ${operator.headers.cookie}\r\n` +
      `Content-Type: text/csv\r\nContent-Length: ${length}\r\n${more}\r\n`,
  )
  return socket
}

async function imported(organization: number): Promise<number> {
  const path = `/organizations/${organization}/import/objects?file=a.csv`
  const { status } = await operator.ask('POST', path, { body: 'ident,name\nA1,Van\n' })
  return status
}

describe('An upload', () => {
  it('takes no place from others before its body has come', async () => {
    const silent = [busy, busy, busy, also, also].map((each) => began(each, MAX_FILE_BYTES))
    const sockets = await Promise.all(silent)
    assert.deepEqual(await Promise.all([quiet, busy].map(imported)), [200, 200])
    for (const socket of sockets) socket.destroy()
  })

  it('is refused before its body is sent if it is too large, without leave to send it', async () => {
    for (const more of ['', 'Expect: 100-continue\r\n']) {
      const socket = await began(quiet, MAX_FILE_BYTES + 1, more)
      const [answer] = await once(socket, 'data')
      assert.match(String(answer), /^HTTP\/1\.1 413 /)
      if (more !== '') assert.match(String(answer), /\r\nConnection: close\r\n/)
      socket.destroy()
    }
  })

  it('gets leave to send its body if the client waits for it', async () => {
    const body = 'ident,name\nB1,Van\n'
    const socket = await began(quiet, body.length, 'Expect: 100-continue\r\n')
    const [leave] = await once(socket, 'data')
    assert.equal(String(leave), 'HTTP/1.1 100 Continue\r\n\r\n')
    socket.write(body)
    const [answer] = await once(socket, 'data')
    assert.match(String(answer), /^HTTP\/1\.1 200 /)
    socket.destroy()
  })

  it('causes no failure in the log if its client leaves', async () => {
    const path = `/organizations/${quiet}/objects`
    const cut = await Promise.all([1, 100, MAX_FILE_BYTES].map((length) => began(quiet, length)))
    for (const socket of cut) {
      socket.destroy()
      await once(socket, 'close')
    }
    // Its connection is newer, so the server reads it after it has seen the others close.
    assert.equal((await operator.ask('GET', path)).status, 200)
    assert.deepEqual(
      server.log.filter(({ level }) => level === 50),
      [],
    )
  })
})
