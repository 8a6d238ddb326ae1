import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { importFile } from '../api/client.ts'
import type { ImportLine } from '../api/types.ts'
import { t } from '../language/text.ts'
import { announce } from '../ui/toast/announce.ts'

/** The server recognizes the format by the name of the file. */
export const FILE_TYPE = 'application/octet-stream'

export type Progress = NonNullable<ImportLine['progress']>

/** Sends a file to an import, whose address is `target`, with its progress. `stop` ends it. */
export function useImport(
  organization: number,
  target: string,
  file: File,
  onImporting: (isImporting: boolean) => void,
) {
  const client = useQueryClient()
  const [progress, setProgress] = useState<Progress | null>(null)
  const abort = useRef(new AbortController())
  const send = useMutation({
    mutationFn: () => {
      abort.current = new AbortController()
      setProgress(null)
      onImporting(true)
      return importFile(target, file, FILE_TYPE, setProgress, abort.current.signal)
    },
    onSuccess: ({ accepted, read }) =>
      announce(t('Import done: {{accepted}} of {{read}} rows were imported.', { accepted, read })),
    // A stopped import has stored a part, too.
    onSettled: () => {
      onImporting(false)
      return Promise.all([
        client.invalidateQueries({ queryKey: ['organization', organization] }),
        client.invalidateQueries({ queryKey: ['audit'] }),
      ])
    },
  })
  return { send, progress, stop: () => abort.current.abort() }
}

export function isStopped(error: unknown): boolean {
  return error instanceof DOMException && error.name === 'AbortError'
}
