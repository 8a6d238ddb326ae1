import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { describe, it } from 'node:test'
import { request } from '../../harness/client.ts'
import { isEmbedded } from '../../harness/deployment.ts'
import { BIN } from '../../harness/fleetgate.ts'
import { newDeployment } from '../../harness/new-deployment.ts'
import { PREFIX } from '../../harness/organization.ts'
import { serve } from '../../harness/server.ts'
import { temporaryFolder } from '../../harness/temporary-folder.ts'
import { descendantsOf } from '../../harness/watched-process.ts'

const skip = existsSync('/proc/self/net/tcp') ? false : 'the kernel has no /proc'

const familyOf = (pid: number) => [pid, ...descendantsOf(pid)]

/** The TCP ports on which a process listens, according to the kernel. */
function portsOf(pid: number): number[] {
  const sockets = new Set(
    readdirSync(`/proc/${pid}/fd`).map((fd) => {
      try {
        return readlinkSync(`/proc/${pid}/fd/${fd}`)
      } catch {
        return ''
      }
    }),
  )
  return ['tcp', 'tcp6'].flatMap((table) =>
    readFileSync(`/proc/${pid}/net/${table}`, 'utf8')
      .split('\n')
      .map((line) => line.trim().split(/\s+/))
      .filter(
        ([, , , state, , , , , , inode]) => state === '0A' && sockets.has(`socket:[${inode}]`),
      )
      .map(([, local]) => Number.parseInt(local!.split(':')[1]!, 16)),
  )
}

const portsOfAll = (pids: number[]) => pids.map((pid) => portsOf(pid).sort((a, b) => a - b))

/** A Node that is too old for the source and hands over to the one that npm installed. */
const OLDER = spawnSync('which', ['-a', 'node'], { encoding: 'utf8' })
  .stdout.split('\n')
  .find((node) => {
    const { stdout } = spawnSync(node, ['--version'], { encoding: 'utf8' })
    return Number(/^v(\d+)/.exec(stdout ?? '')?.[1] ?? 99) < 24
  })

describe('SIGUSR1 opens no debugger', { skip }, () => {
  for (const args of isEmbedded ? [[]] : [[], ['--processes', '2']]) {
    it(`in any process of a server: serve ${args.join(' ')}`, async (t) => {
      const server = await serve(await newDeployment(), args)
      t.after(server.stop)
      const family = familyOf(server.pid)
      assert.equal(family.length, args.length === 0 ? 1 : 3)
      const before = portsOfAll(family)
      for (const pid of family) process.kill(pid, 'SIGUSR1')
      // Each answer gives a process a chance to handle the signal.
      for (let i = 0; i < 40; i++) {
        await request(server.admin, '/metrics')
        await request(server.api, `${PREFIX}/ping`)
      }
      assert.deepEqual(portsOfAll(family), before)
      assert.deepEqual(familyOf(server.pid), family)
      assert.doesNotMatch(server.stderr(), /debugger|inspector/i)
      assert.equal(await server.stop(), 0)
    })
  }

  const noOlder = OLDER === undefined ? 'there is no Node older than 24' : false
  it('in an older Node that hands over to a newer one', { skip: noOlder }, async (t) => {
    const ports = ['--port', '0', '--feed-port', '0', '--admin-port', '0']
    const child = spawn(OLDER!, [BIN, 'serve', '--data', temporaryFolder(), '--json', ...ports])
    t.after(() => child.kill('SIGTERM'))
    let stderr = ''
    child.stderr.on('data', (text) => {
      stderr += text
    })
    const exit = once(child, 'exit')
    const [line] = await once(child.stdout, 'data')
    const { admin } = JSON.parse(String(line).split('\n')[0]!)
    const family = familyOf(child.pid!)
    assert.equal(family.length, 2)
    const before = portsOfAll(family)
    for (const pid of family) process.kill(pid, 'SIGUSR1')
    for (let i = 0; i < 40; i++) await request(admin, '/health')
    assert.deepEqual(portsOfAll(family), before)
    assert.doesNotMatch(stderr, /debugger|inspector/i)
    child.kill('SIGTERM')
    assert.deepEqual(await exit, [0, null])
  })
})
