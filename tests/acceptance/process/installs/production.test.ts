/**
 * Installations by docs/operating/install.md and by deploy/Dockerfile. `INSTALLS=whole` makes them, which takes some minutes
 * and a registry; the quick form checks the files that a builder of the image gets.
 */
import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { REPOSITORY, startProgram } from '../../harness/fleetgate.ts'
import { ON_FREE_PORTS, type ServerProcess, served } from '../../harness/server.ts'
import { temporaryFolder } from '../../harness/temporary-folder.ts'
import { assertConsole, sh, withoutInstalls as skip } from './installation.ts'
import { buildStages, copyCheckout, dockerKeeps } from './stages.ts'

const dockerfile = readFileSync(join(REPOSITORY, 'deploy/Dockerfile'), 'utf8')
const keeps = dockerKeeps(readFileSync(join(REPOSITORY, '.dockerignore'), 'utf8'))

/** Starts the program that was installed. */
function startInstalled(bin: string, cwd: string): Promise<ServerProcess> {
  const args = ['serve', '--data', temporaryFolder(), ...ON_FREE_PORTS]
  return served(startProgram([process.execPath, bin, ...args], {}, cwd))
}

/** Starts the program that was installed, looks at its console, and stops it. */
async function assertServes(bin: string, cwd: string): Promise<void> {
  const server = await startInstalled(bin, cwd)
  await assertConsole(server.admin)
  assert.equal(await server.stop(), 0)
}

describe('The image', () => {
  it('includes every file that its Dockerfile names, and no tests', () => {
    const context = copyCheckout(REPOSITORY, keeps)
    const root = buildStages(dockerfile, context, (command, folder) => {
      if (!command.includes('run build')) return
      const needed = ['tsconfig.json', 'packages/console/vite.config.ts']
      for (const name of needed) assert.ok(existsSync(join(folder, name)), `${name} is missing`)
      mkdirSync(join(folder, 'packages/console/dist'), { recursive: true })
      writeFileSync(join(folder, 'packages/console/dist/index.html'), '')
    })
    for (const name of ['openapi.json', 'admin-openapi.json', 'assets/scalar', 'src/run/main.ts']) {
      assert.ok(existsSync(join(root, 'fleetgate/packages/server', name)), `${name} is missing`)
    }
    assert.ok(!keeps('packages/server/src/run/serve.test.ts') && !keeps('tests/acceptance/run.ts'))
    assert.ok(!keeps('data/fleetgate.db') && !keeps('packages/console/node_modules/x/y.js'))
  })

  it('uses no Dockerfile syntax that older builders reject', () => {
    assert.doesNotMatch(dockerfile, /--start-interval/)
  })

  it('is built by its steps, and serves the console', { skip }, async () => {
    const root = buildStages(dockerfile, copyCheckout(REPOSITORY, keeps), (command, folder) => {
      // The user of the image does not exist here, and neither does its folder.
      if (!command.startsWith('install ')) sh(command, folder)
    })
    await assertServes(join(root, 'fleetgate/packages/server/bin/fleetgate.js'), root)
  })
})

describe('An installation', () => {
  it('by the lines of docs/operating/install.md serves the console', { skip }, async () => {
    const folder = copyCheckout(REPOSITORY, () => true)
    const text = readFileSync(join(REPOSITORY, 'docs/operating/install.md'), 'utf8')
    const block = /git clone .*\ncd .*\n((?:npm .*\n)+)/.exec(text)
    assert.ok(block, 'the lines are there')
    sh(block[1]!, folder)
    assert.ok(!existsSync(join(folder, 'node_modules/vite')), 'development packages are gone')
    await assertServes(join(folder, 'packages/server/bin/fleetgate.js'), folder)
  })

  it('without the packages that build the console explains that the console is missing', {
    skip,
  }, async () => {
    const folder = copyCheckout(REPOSITORY, () => true)
    sh('npm ci --omit=dev --ignore-scripts', folder)
    const server = await startInstalled('packages/server/bin/fleetgate.js', folder)
    const greeting = server.log.find((entry) => 'admin' in entry)
    assert.equal(greeting.console, undefined)
    assert.equal(await server.stop(), 0)
  })
})
