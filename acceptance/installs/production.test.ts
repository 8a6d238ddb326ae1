/**
 * Installations as docs/operating.md and the Dockerfile have them. With `INSTALLS=whole` they are made, which takes
 * some minutes and a registry; else it is looked at what a builder of the image gets.
 */
import assert from 'node:assert/strict'
import { execFileSync, execSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { after, describe, it } from 'node:test'
import { chromium } from 'playwright-core'
import { isEmbedded } from '../harness/deployment.ts'
import { type Json, REPOSITORY } from '../harness/fleetgate.ts'
import { temporaryFolder } from '../harness/temporary-folder.ts'
import { buildStages, copyCheckout, dockerKeeps } from './stages.ts'

const CHROMIUM = process.env.CHROMIUM ?? '/usr/bin/chromium'
const dockerfile = readFileSync(join(REPOSITORY, 'Dockerfile'), 'utf8')
const keeps = dockerKeeps(readFileSync(join(REPOSITORY, '.dockerignore'), 'utf8'))
const skip = !isEmbedded
  ? 'about installations, whatever the deployment'
  : process.env.INSTALLS !== 'whole'
    ? 'INSTALLS=whole makes installations'
    : !existsSync(CHROMIUM) && `there is no browser at ${CHROMIUM}`

/** Packages that were fetched before are not fetched again. */
const NPM = {
  ...process.env,
  NODE_TEST_CONTEXT: undefined,
  npm_config_prefer_offline: 'true',
  npm_config_audit: 'false',
}

function sh(command: string, cwd: string): void {
  execSync(command, { cwd, env: NPM, stdio: ['ignore', 'ignore', 'inherit'] })
}

/** Starts what was installed, and looks at its console. */
async function assertConsole(bin: string, cwd: string): Promise<void> {
  const ports = ['--port', '0', '--admin-port', '0', '--feed-port', '0', '--json']
  const data = ['--data', temporaryFolder()]
  const server = spawn(process.execPath, [bin, 'serve', ...data, ...ports], { cwd })
  after(() => server.kill('SIGKILL'))
  const lines = createInterface({ input: server.stdout })
  const [line] = (await once(lines, 'line')) as [string]
  const { console: url }: Json = JSON.parse(line)
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] })
  try {
    const page = await browser.newPage()
    await page.goto(url)
    await page.getByRole('heading').first().waitFor()
    assert.match(await page.title(), /Fleetgate/)
  } finally {
    await browser.close()
    server.kill('SIGTERM')
    await once(server, 'exit')
  }
}

describe('The image', () => {
  it('has all that its Dockerfile names in what a builder gets, and no tests', () => {
    const context = copyCheckout(REPOSITORY, keeps)
    buildStages(dockerfile, context, (command, folder) => {
      if (!command.includes('run build')) return
      const needed = ['tsconfig.json', 'packages/console/vite.config.ts']
      for (const name of needed) assert.ok(existsSync(join(folder, name)), `${name} is missing`)
      mkdirSync(join(folder, 'packages/console/dist'), { recursive: true })
      writeFileSync(join(folder, 'packages/console/dist/index.html'), '')
    })
    assert.ok(!keeps('packages/server/src/serve.test.ts') && !keeps('acceptance/run.ts'))
    assert.ok(!keeps('data/fleetgate.db') && !keeps('packages/console/node_modules/x/y.js'))
  })

  it('is asked for nothing that older builders refuse', () => {
    assert.doesNotMatch(dockerfile, /--start-interval/)
  })

  it('is built by its steps, and shows the console', { skip }, async () => {
    const root = buildStages(dockerfile, copyCheckout(REPOSITORY, keeps), (command, folder) => {
      // The user of the image, and a folder outside of it.
      if (!command.startsWith('install ')) sh(command, folder)
    })
    await assertConsole(join(root, 'fleetgate/packages/server/bin/fleetgate.js'), root)
  })
})

describe('An installation', () => {
  it('by the lines of docs/operating.md shows the console', { skip }, async () => {
    const folder = copyCheckout(REPOSITORY, () => true)
    const text = readFileSync(join(REPOSITORY, 'docs/operating.md'), 'utf8')
    const block = /git clone .*\ncd .*\n((?:npm .*\n)+)/.exec(text)
    assert.ok(block, 'the lines are there')
    sh(block[1]!, folder)
    assert.ok(!existsSync(join(folder, 'node_modules/vite')), 'development packages are gone')
    await assertConsole(join(folder, 'packages/server/bin/fleetgate.js'), folder)
  })

  it('without the packages that build the console says that there is none', { skip }, () => {
    const folder = copyCheckout(REPOSITORY, () => true)
    sh('npm ci --omit=dev --ignore-scripts', folder)
    const bin = join(folder, 'packages/server/bin/fleetgate.js')
    const args = [bin, 'serve', '--port', '0', '--admin-port', '0', '--feed-port', '0', '--json']
    const command = `timeout 10 '${process.execPath}' ${args.map((each) => `'${each}'`).join(' ')}`
    const printed = execFileSync('sh', ['-c', `${command} || true`], { cwd: folder })
    assert.equal(JSON.parse(printed.toString().split('\n')[0]!).console, undefined)
  })
})
