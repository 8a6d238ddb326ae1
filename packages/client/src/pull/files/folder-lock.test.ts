import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { lockFolder } from './folder-lock.ts'

function newFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'fleetgate-pull-'))
  t.after(() => rmSync(folder, { recursive: true }))
  return folder
}

describe('The lock of a folder', () => {
  it('is held by a running process, and released', async (t) => {
    const path = join(newFolder(t), 'lock')
    const other = spawn(process.execPath, ['-e', 'process.stdin.resume()'])
    t.after(() => other.kill())
    writeFileSync(path, `${other.pid}\n`)
    await assert.rejects(
      lockFolder(path),
      new RegExp(`process ${other.pid}\\) is using the folder`),
    )
    other.kill('SIGKILL')
    await once(other, 'exit')
    const unlock = await lockFolder(path)
    assert.ok(existsSync(path))
    await unlock()
    assert.deepEqual(readdirSync(join(path, '..')), [])
  })

  it('is taken over if its owner had this process’s id, or if the file is empty', async (t) => {
    const path = join(newFolder(t), 'lock')
    for (const left of [`${process.pid}\n`, '', 'no number\n']) {
      writeFileSync(path, left)
      await (await lockFolder(path))()
      assert.equal(existsSync(path), false)
    }
  })
})
