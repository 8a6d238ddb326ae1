import assert from 'node:assert/strict'
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, it } from 'node:test'
import { DataFolderInUse, isServed, lockDataFolder } from '../data-folder.ts'

describe('The lock of a data folder', () => {
  it('has one holder, and is free after its release', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'fleetgate-lock-'))
    try {
      const lock = lockDataFolder(folder)
      assert.throws(() => lockDataFolder(folder), DataFolderInUse)
      lock.release()
      lock.release()
      lockDataFolder(folder).release()
    } finally {
      await rm(folder, { recursive: true })
    }
  })

  it('is asked about without being taken: a server that starts meanwhile gets it', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'fleetgate-lock-'))
    try {
      assert.equal(isServed(folder), false)
      lockDataFolder(folder).release()
      // As somebody who asks, in the middle of it.
      const asking = new DatabaseSync(join(folder, 'serve.lock'), { readOnly: true })
      asking.exec('BEGIN')
      asking.prepare('SELECT count(*) FROM sqlite_schema').get()
      assert.equal(isServed(folder), false)
      asking.close()
      const lock = lockDataFolder(folder)
      assert.equal(isServed(folder), true)
      lock.release()
      assert.equal(isServed(folder), false)
    } finally {
      await rm(folder, { recursive: true })
    }
  })

  it('ends with its process, however the process ends', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'fleetgate-lock-'))
    const holder = fork(join(import.meta.dirname, 'hold-lock.fixture.ts'), [folder])
    try {
      await once(holder, 'message')
      assert.throws(() => lockDataFolder(folder), {
        name: 'DataFolderInUse',
        message: `The data folder ${folder} is being served by another process: stop that process, or use another folder.`,
      })
      holder.kill('SIGKILL')
      await once(holder, 'exit')
      lockDataFolder(folder).release()
    } finally {
      holder.kill('SIGKILL')
      await rm(folder, { recursive: true })
    }
  })
})
