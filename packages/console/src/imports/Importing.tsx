import { t } from '../language/text.ts'
import { Button } from '../ui/Button.tsx'
import { Actions } from '../ui/dialog/Dialog.tsx'
import { count, percent } from '../ui/format.ts'
import type { Progress } from './use-import.ts'

type ImportingProps = { file: File; progress: Progress | null; onStop: () => void }

/** How far an import is. */
export function Importing({ file, progress, onStop }: ImportingProps) {
  const share = progress === null ? undefined : progress.bytes / Math.max(1, progress.size)
  return (
    <div className="stack importing">
      <p>
        <strong>{file.name}</strong>
      </p>
      <progress
        aria-label={t('Import progress')}
        {...(share === undefined ? {} : { value: share })}
      />
      <p className="soft small">
        {progress === null
          ? t('Uploading file…')
          : t('{{rows}} rows read, {{share}} of the file.', {
              rows: count(progress.rows),
              share: percent(share ?? 0),
            })}
      </p>
      <Actions>
        <Button onClick={onStop}>{t('Stop import')}</Button>
      </Actions>
    </div>
  )
}
