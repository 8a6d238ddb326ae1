import { writeFileSync } from 'node:fs'
import { brotliCompressSync, constants } from 'node:zlib'
import { demoRecording } from './recording.ts'

/** Writes the recorded week of the demo fleet, which the server replays. */
writeFileSync(
  new URL('../../packages/server/assets/demo-drives.br', import.meta.url),
  brotliCompressSync(demoRecording(), {
    params: { [constants.BROTLI_PARAM_LGWIN]: constants.BROTLI_MAX_WINDOW_BITS },
  }),
)
