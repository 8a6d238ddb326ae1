/**
 * Builds the console into `dist`. `--if-possible`: installed without what it is built by (`npm ci --omit=dev`),
 * it is left out, and the server says on its page how to get it.
 */
try {
  const { build } = await import('vite')
  await build({ root: import.meta.dirname, logLevel: 'warn' })
} catch (error) {
  const isMissing = error.code === 'ERR_MODULE_NOT_FOUND'
  if (!isMissing || !process.argv.includes('--if-possible')) throw error
  process.stderr.write('the console is not built: its development packages are not installed\n')
}
