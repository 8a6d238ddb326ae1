import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { type Json, REPOSITORY } from '../harness/fleetgate.ts'

const read = (path: string): string => readFileSync(join(REPOSITORY, path), 'utf8')
const readJson = (path: string): Json => JSON.parse(read(path))

/** The product and its tests; and the benchmarks, which no installation of the product includes. */
const PROJECTS = ['.', 'bench']
/**
 * Tools that build and test the console, unmodified and not part of any package. Their license (MPL-2.0) has
 * conditions for modified copies only.
 */
const TOOLS = new Set([
  'axe-core',
  'lightningcss',
  ...['android-arm64', 'darwin-arm64', 'darwin-x64', 'freebsd-x64', 'linux-arm-gnueabihf'].map(
    built,
  ),
  ...['linux-arm64-gnu', 'linux-arm64-musl', 'linux-x64-gnu', 'linux-x64-musl'].map(built),
  ...['win32-arm64-msvc', 'win32-x64-msvc'].map(built),
])
function built(platform: string): string {
  return `lightningcss-${platform}`
}

const PERMISSIVE = new Set([
  ...['MIT', 'ISC', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', '0BSD', 'BlueOak-1.0.0'],
  ...['CC0-1.0', 'CC-BY-4.0', 'Python-2.0', 'Unlicense', 'WTFPL'],
])

for (const project of PROJECTS) {
  const { allowScripts = {}, workspaces } = readJson(`${project}/package.json`)
  const lock = readJson(`${project}/package-lock.json`)
  const packages: [path: string, entry: Json][] = Object.entries<Json>(lock.packages).filter(
    ([path, { link }]) => path.includes('node_modules/') && link !== true,
  )
  const nameOf = (path: string) => path.slice(path.lastIndexOf('node_modules/') + 13)

  describe(`Packages of ${project === '.' ? 'Fleetgate' : project}`, () => {
    it('are pinned by a lockfile with the hash of each, from any registry', () => {
      assert.equal(lock.lockfileVersion, 3)
      assert.notEqual(packages.length, 0)
      for (const [path, { version, integrity, resolved }] of packages) {
        assert.match(String(version), /^\d+\.\d+\.\d+/, path)
        assert.match(String(integrity), /^sha512-[\w+/]{86}==$/, path)
        assert.equal(resolved, undefined, path)
      }
    })

    it('match the lockfile', () => {
      const asked = (where: string) => {
        const { dependencies, devDependencies, optionalDependencies } = readJson(
          join(project, where, 'package.json'),
        )
        return { dependencies, devDependencies, optionalDependencies }
      }
      const members =
        workspaces === undefined
          ? ['']
          : ['', 'packages/server', 'packages/client', 'packages/console']
      for (const member of members.filter((each) => existsSync(join(REPOSITORY, project, each)))) {
        if (lock.packages[member] === undefined) continue
        for (const [kind, wanted] of Object.entries(asked(member))) {
          assert.deepEqual(lock.packages[member][kind] ?? {}, wanted ?? {}, `${member} ${kind}`)
        }
      }
    })

    it('run no install scripts except the reviewed ones', () => {
      const scripted = packages.filter(([, { hasInstallScript }]) => hasInstallScript === true)
      const names = new Set(scripted.map(([path]) => nameOf(path)))
      assert.deepEqual([...names].sort(), Object.keys(allowScripts).sort())
    })

    it('have licenses that permit all use', () => {
      for (const [path, { license }] of packages) {
        const choices = String(license).replace(/[()]/g, '').split(' OR ')
        assert.ok(
          choices.some((each) => PERMISSIVE.has(each)) || TOOLS.has(nameOf(path)),
          `${path}: ${license}`,
        )
      }
    })
  })
}

/** The files under version control. */
function tracked(...globs: string[]): string[] {
  const files = execFileSync('git', ['ls-files', '-z', '--', ...globs], { cwd: REPOSITORY })
  return files
    .toString()
    .split('\0')
    .filter((file) => file !== '' && existsSync(join(REPOSITORY, file)))
}

const HARMLESS = ['base/access/totp.ts', 'data/fold/refold.ts', 'data/live/redis/scripts.ts'].map(
  (file) => `packages/server/src/${file}`,
)

const skip = existsSync(join(REPOSITORY, '.git')) ? false : 'it is no checkout of git'

describe('The source', { skip }, () => {
  const product = () =>
    tracked('packages/server/src', 'packages/server/bin').filter(
      (file) => /\.[jt]s$/.test(file) && !/\.test\.ts$|\/trial\//.test(file),
    )

  it('never evaluates text as code, and passes none to a shell', () => {
    const files = product()
    assert.ok(files.length > 200)
    const dangerous =
      /(?<!\.)\beval\(|new Function\(|\bexecSync\(|\bshell: |{[^}]*\bexec\b[^}]*} from 'node:child_process'|vm\.run|\bFunction\(/
    for (const file of files) assert.ok(!dangerous.test(read(file)), file)
  })

  it('uses a secure generator for every value that must not be guessable', () => {
    const guessable = /Math\.random|randomUUID|'(md5|sha1)'/
    const files = product().filter((file) =>
      /\/src\/(?:base\/access|engine\/store|data|read|acts|faces)\//.test(file),
    )
    // Codes by time are HMACs with SHA-1 (RFC 6238). Redis identifies a script by its SHA-1, and a pause has some
    // randomness: neither protects anything.
    const guessing = files.filter((file) => guessable.test(read(file)))
    assert.deepEqual(guessing, HARMLESS)
  })

  it('holds no secret', () => {
    const texts = tracked('.').filter((file) => !/\.(br|gz|png|zip|db|csv|json)$/.test(file))
    // A key of the documented form with a valid checksum; private keys; passwords in URLs.
    const secret =
      /-----BEGIN [A-Z ]*PRIVATE KEY-----\n[A-Za-z0-9+/]|AKIA[0-9A-Z]{16}|gh[pousr]_\w{36}/
    for (const file of texts) assert.ok(!secret.test(read(file)), file)
    const kept = tracked('.').filter((file) => /(^|\/)(\.env|.*\.pem|.*\.key|.*\.db)$/.test(file))
    assert.deepEqual(kept, [])
  })
})
