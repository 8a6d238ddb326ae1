import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { ImportKind } from '../../../server/src/base/domain/import-formats.ts'
import { upload } from '../api/client.ts'
import { useObjects } from '../api/queries.ts'
import type { ImportPreview, OrganizationSummary } from '../api/types.ts'
import { said } from '../language/said.ts'
import { t } from '../language/text.ts'
import { Button } from '../ui/Button.tsx'
import { Actions } from '../ui/dialog/Dialog.tsx'
import { Note } from '../ui/state/Note.tsx'
import { Problem } from '../ui/state/Problem.tsx'
import { Skeleton } from '../ui/state/Skeleton.tsx'
import { ColumnFields } from './ColumnFields.tsx'
import { FirstRows } from './FirstRows.tsx'
import { type FileOptions, NO_OPTIONS, queryOf, withoutAdvice } from './file-options.ts'
import { IMPORTS } from './formats.ts'
import { Importing } from './Importing.tsx'
import { LocalTimes } from './LocalTimes.tsx'
import { NewObjects } from './NewObjects.tsx'
import { NotationFields } from './NotationFields.tsx'
import { Questions } from './Questions.tsx'
import { SavedMapping } from './SavedMapping.tsx'
import { Summary } from './Summary.tsx'
import { FILE_TYPE, isStopped, useImport } from './use-import.ts'

/** The head of a file is enough for its first rows. */
const HEAD_BYTES = 256 * 1024

type ImportFileProps = {
  organization: OrganizationSummary
  kind: ImportKind
  file: File
  /** Continues with another import of the same file. */
  onKind: (kind: ImportKind) => void
  onOther: () => void
  onImporting: (isImporting: boolean) => void
  onClose: () => void
}

/** Previews a file under the operator's choices, imports it, and shows the summary. */
export function ImportFile(props: ImportFileProps) {
  const { organization, kind, file, onOther, onImporting, onClose } = props
  const [options, setOptions] = useState<FileOptions>({
    ...NO_OPTIONS,
    createObjects: organization.create_objects,
  })
  const path = `/organizations/${organization.id}/import/${kind}`
  const query = queryOf(kind, file.name, options)
  const { send, progress, stop } = useImport(organization.id, `${path}?${query}`, file, onImporting)
  if (send.data !== undefined) {
    return (
      <>
        <Summary kind={kind} summary={send.data} />
        <Actions>
          <Button onClick={onOther}>{t('Import another file')}</Button>
          <Button look="primary" onClick={onClose}>
            {t('Done')}
          </Button>
        </Actions>
      </>
    )
  }
  if (send.isPending) return <Importing file={file} progress={progress} onStop={stop} />
  return (
    <>
      <p>
        <strong>{file.name}</strong>
      </p>
      <PreviewOfFile
        {...props}
        options={options}
        onChange={setOptions}
        onImport={() => send.mutate(undefined)}
        error={send.error}
      />
    </>
  )
}

type PreviewOfFileProps = ImportFileProps & {
  options: FileOptions
  onChange: (options: FileOptions) => void
  onImport: () => void
  /** The error of the import. */
  error: Error | null
}

function PreviewOfFile(props: PreviewOfFileProps) {
  const { kind, onOther, onImport, error } = props
  const preview = usePreview(props)
  const { data } = preview
  const isFit = data?.problem === null && !preview.isPlaceholderData && preview.error === null
  return (
    <>
      {data === undefined && preview.error === null && <Skeleton lines={6} />}
      <Problem error={preview.error} />
      {data !== undefined && (
        <div className={preview.isPlaceholderData ? 'stack waits' : 'stack'}>
          <FileAsRead {...props} preview={data} />
        </div>
      )}
      {isStopped(error) ? (
        <Note alert>{t('Import stopped. Rows that were already stored are kept.')}</Note>
      ) : (
        <Problem error={error} />
      )}
      <Actions>
        <Button onClick={onOther}>{t('Choose another file')}</Button>
        <Button look="primary" disabled={!isFit} onClick={onImport}>
          {IMPORTS[kind]}
        </Button>
      </Actions>
    </>
  )
}

/** Rows of unknown idents are read as if their objects were created: the console asks about them. */
function usePreview({ organization, kind, file, options }: PreviewOfFileProps) {
  const query = queryOf(kind, file.name, { ...options, createObjects: true })
  return useQuery({
    queryKey: ['organization', organization.id, 'import', kind, file.lastModified, query],
    queryFn: ({ signal }) =>
      upload<ImportPreview>(
        `/organizations/${organization.id}/import/${kind}/preview?${query}`,
        file.slice(0, HEAD_BYTES),
        FILE_TYPE,
        signal,
      ),
    placeholderData: keepPreviousData,
    staleTime: 60_000,
    retry: false,
  })
}

/** The remarks, apart from that on the saved mapping, which the console shows. */
function notesOf({ notes, saved_mapping: saved }: ImportPreview): string[] {
  return notes.filter((note) => saved === null || !note.startsWith("read as '"))
}

type FileAsReadProps = PreviewOfFileProps & { preview: ImportPreview }

function FileAsRead(props: FileAsReadProps) {
  const { organization, kind, preview, options, onChange, onKind } = props
  const objects = useObjects(organization.id)
  const idents = objects.data?.items.map(({ ident }) => ident) ?? []
  const isOther = preview.taken_by.length > 0
  return (
    <>
      {preview.saved_mapping !== null && (
        <SavedMapping organization={organization.id} id={preview.saved_mapping} />
      )}
      <Questions {...{ kind, preview, options, onChange, onKind }} />
      {notesOf(preview).map((note) => (
        <Note key={note}>{said(withoutAdvice(note))}</Note>
      ))}
      <FirstRows kind={kind} preview={preview} />
      {!isOther && kind === 'positions' && (
        <LocalTimes
          zones={preview.local_zones}
          value={options.timezone}
          onChange={(timezone) => onChange({ ...options, timezone })}
        />
      )}
      {!isOther && preview.table !== null && (
        <NotationFields table={preview.table} options={options} onChange={onChange} />
      )}
      {!isOther && <ColumnFields {...{ kind, preview, idents, options, onChange }} />}
      {!isOther && kind === 'positions' && (
        <NewObjects
          preview={preview}
          idents={idents}
          value={options.createObjects}
          onChange={(createObjects) => onChange({ ...options, createObjects })}
        />
      )}
    </>
  )
}
