import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { MAX_FILE_BYTES } from '../../../server/src/domain/limits.ts'
import { importFile, upload } from '../api/client.ts'
import type { ImportLine, ImportPreview, OrganizationSummary } from '../api/types.ts'
import { Button } from '../ui/Button.tsx'
import { announce } from '../ui/dialog/announce.ts'
import { Actions } from '../ui/dialog/Dialog.tsx'
import { count, percent } from '../ui/format.ts'
import { Note } from '../ui/state/Note.tsx'
import { Problem } from '../ui/state/Problem.tsx'
import { Skeleton } from '../ui/state/Skeleton.tsx'
import { ColumnFields } from './ColumnFields.tsx'
import { FileDrop } from './FileDrop.tsx'
import { FirstRows } from './FirstRows.tsx'
import { fileEndings, typeOf, unfitFile } from './formats.ts'
import { type PositionFile, queryOf } from './position-options.ts'
import { Summary } from './Summary.tsx'

/** The head of a file is enough for its first rows. */
const HEAD_BYTES = 256 * 1024

type Progress = NonNullable<ImportLine['progress']>

type ImportPositionsProps = {
  organization: OrganizationSummary
  onImporting: (isImporting: boolean) => void
  onClose: () => void
}

export function ImportPositions({ organization, onImporting, onClose }: ImportPositionsProps) {
  const [given, setGiven] = useState<PositionFile | null>(null)
  const [unfit, setUnfit] = useState<string | null>(null)
  const take = (file: File) => {
    const type = typeOf(file, 'positions')
    const reason = type === undefined ? 'kind' : file.size > MAX_FILE_BYTES ? 'size' : null
    setUnfit(reason === null ? null : refusalOf(file, reason))
    if (type === undefined || reason !== null) return
    const nothing = { mapping: {}, speedUnit: '', timezone: '', ident: '' } as const
    setGiven({ ...nothing, file, type, createObjects: organization.create_objects })
  }
  if (given !== null) {
    return (
      <FileOfPositions
        organization={organization.id}
        given={given}
        onChange={setGiven}
        onOther={() => setGiven(null)}
        onImporting={onImporting}
        onClose={onClose}
      />
    )
  }
  return (
    <>
      <p className="soft small">
        A row for each position: ident, time, latitude and longitude, and other fields that you
        have, such as speed or ignition. You see how the file is read before anything is imported.
      </p>
      <FileDrop
        label="File of positions"
        endings={fileEndings('positions')}
        isBusy={false}
        onFile={take}
      />
      {unfit !== null && (
        <Note kind="danger" alert>
          {unfit}
        </Note>
      )}
    </>
  )
}

function refusalOf(file: File, reason: 'kind' | 'size'): string {
  return reason === 'kind'
    ? unfitFile(file, 'positions')
    : `${file.name} is larger than ${MAX_FILE_BYTES / 2 ** 20} MiB. Import it with the command line: fleetgate import positions.`
}

type FileOfPositionsProps = {
  organization: number
  given: PositionFile
  onChange: (given: PositionFile) => void
  onOther: () => void
  onImporting: (isImporting: boolean) => void
  onClose: () => void
}

/** Previews a file under the given options, imports it, and shows the summary. */
function FileOfPositions(props: FileOfPositionsProps) {
  const { organization, given, onChange, onOther, onClose } = props
  const path = `/organizations/${organization}/import/positions`
  const query = queryOf(given)
  const preview = useQuery({
    queryKey: ['organization', organization, 'import', given.file.lastModified, query],
    queryFn: ({ signal }) =>
      upload<ImportPreview>(
        `${path}/preview?${query}`,
        given.file.slice(0, HEAD_BYTES),
        given.type,
        signal,
      ),
    placeholderData: keepPreviousData,
    staleTime: 60_000,
    retry: false,
  })
  const { send, progress, stop } = useImport(`${path}?${query}`, props)
  if (send.data !== undefined) {
    return (
      <>
        <Summary summary={send.data} isOfPositions />
        <Actions>
          <Button onClick={onOther}>Import another file</Button>
          <Button look="primary" onClick={onClose}>
            Done
          </Button>
        </Actions>
      </>
    )
  }
  if (send.isPending) return <Importing file={given.file} progress={progress} onStop={stop} />
  const { data } = preview
  const isFit = data?.problem === null && !preview.isPlaceholderData && preview.error === null
  return (
    <>
      <p>
        <strong>{given.file.name}</strong>
      </p>
      {data === undefined && preview.error === null && <Skeleton lines={6} />}
      <Problem error={preview.error} />
      {data !== undefined && (
        <div className={preview.isPlaceholderData ? 'stack waits' : 'stack'}>
          {data.problem !== null && (
            <Note kind="warn" alert>
              {data.problem}
            </Note>
          )}
          {data.notes.map((note) => (
            <Note key={note}>{note}</Note>
          ))}
          <ColumnFields preview={data} given={given} onChange={onChange} />
          <FirstRows preview={data} />
        </div>
      )}
      {isStopped(send.error) ? (
        <Note alert>The import was stopped. The rows that were already stored stay.</Note>
      ) : (
        <Problem error={send.error} />
      )}
      <Actions>
        <Button onClick={onOther}>Choose another file</Button>
        <Button look="primary" disabled={!isFit} onClick={() => send.mutate(undefined)}>
          Import positions
        </Button>
      </Actions>
    </>
  )
}

function useImport(target: string, { organization, given, onImporting }: FileOfPositionsProps) {
  const client = useQueryClient()
  const [progress, setProgress] = useState<Progress | null>(null)
  const abort = useRef(new AbortController())
  const send = useMutation({
    mutationFn: () => {
      abort.current = new AbortController()
      setProgress(null)
      onImporting(true)
      return importFile(target, given.file, given.type, setProgress, abort.current.signal)
    },
    onSuccess: ({ accepted, read }) =>
      announce(`Import done: ${accepted} of ${read} rows were taken.`),
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

function isStopped(error: unknown): boolean {
  return error instanceof DOMException && error.name === 'AbortError'
}

type ImportingProps = { file: File; progress: Progress | null; onStop: () => void }

function Importing({ file, progress, onStop }: ImportingProps) {
  const share = progress === null ? undefined : progress.bytes / Math.max(1, progress.size)
  return (
    <div className="stack importing">
      <p>
        <strong>{file.name}</strong>
      </p>
      <progress
        aria-label="Progress of the import"
        {...(share === undefined ? {} : { value: share })}
      />
      <p className="soft small">
        {progress === null
          ? 'The file is being sent.'
          : `${count(progress.rows)} rows read, ${percent(share ?? 0)} of the file.`}
      </p>
      <Actions>
        <Button onClick={onStop}>Stop</Button>
      </Actions>
    </div>
  )
}
