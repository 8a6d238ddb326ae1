import { cpSync, mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { temporaryFolder } from '../../harness/temporary-folder.ts'
import { outputOf } from './installation.ts'

/** The programs of `node:24-slim` that the lines of the Dockerfile and npm's scripts run. */
const PROGRAMS = ['sh', 'env', 'install']
/** Libraries of glibc that packages load by name, in addition to those that the programs are linked with. */
const GLIBC = ['librt.so.1', 'libresolv.so.2', 'libnss_dns.so.2', 'libnss_files.so.2']
const CERTIFICATES = '/etc/ssl/certs/ca-certificates.crt'

/** The folder of the system's npm, which is no package of this checkout. */
export const npmFolder = (): string => dirname(dirname(realpathSync(pathOf('npm'))))

function pathOf(program: string): string {
  return outputOf('sh', ['-c', `command -v ${program}`], '/').trim()
}

/** The shared libraries that a program is linked with, and its loader. */
function librariesOf(program: string): string[] {
  return outputOf('ldd', [program], '/').match(/(?<=\s)\/\S+(?= \()/g) ?? []
}

/**
 * A folder that takes the place of the root of `node:24-slim`, made of this machine's programs and libraries, with the
 * Node.js of this process.
 */
export function baseRoot(): string {
  const root = temporaryFolder()
  const put = (from: string, to = from) =>
    cpSync(from, join(root, to), { recursive: true, dereference: true })
  const linked = new Set(librariesOf(process.execPath))
  put(process.execPath, '/usr/local/bin/node')
  for (const program of PROGRAMS) {
    const path = pathOf(program)
    put(path, `/bin/${program}`)
    for (const library of librariesOf(path)) linked.add(library)
  }
  const libc = [...linked].find((path) => path.endsWith('/libc.so.6'))!
  for (const name of GLIBC) linked.add(join(dirname(libc), name))
  for (const library of linked) put(library)
  put(npmFolder(), '/usr/local/lib/node_modules/npm')
  put(CERTIFICATES)
  // A package of npm names it by its whole path in the first line of its program.
  mkdirSync(join(root, 'usr/bin'), { recursive: true })
  symlinkSync('/bin/env', join(root, 'usr/bin/env'))
  symlinkSync('../lib/node_modules/npm/bin/npm-cli.js', join(root, 'usr/local/bin/npm'))
  writeSettings(root)
  return root
}

function writeSettings(root: string): void {
  const files = {
    'etc/passwd': 'root:x:0:0::/root:/bin/sh\nnode:x:1000:1000::/home/node:/bin/sh\n',
    'etc/group': 'root:x:0:\nnode:x:1000:\n',
    'etc/nsswitch.conf': 'hosts: files dns\n',
    // Packages that were fetched before are not fetched again.
    'usr/local/etc/npmrc': `cafile=${CERTIFICATES}\nprefer-offline=true\naudit=false\n`,
  }
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, name)), { recursive: true })
    writeFileSync(join(root, name), text)
  }
  mkdirSync(join(root, 'root'))
}
