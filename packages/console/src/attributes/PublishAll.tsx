import { useQuery } from '@tanstack/react-query'
import { change } from '../api/client.ts'
import type { PublishedAttributes } from '../api/types.ts'
import { t } from '../language/text.ts'
import { FormDialog } from '../ui/dialog/FormDialog.tsx'
import { useSaving } from '../ui/form/use-saving.ts'
import { Loaded } from '../ui/state/Loaded.tsx'

type PublishAllProps = { organization: number; onClose: () => void }

/** Shows all that devices send to keys, after a look at what that changes. */
export function PublishAll({ organization, onClose }: PublishAllProps) {
  const send = (isDry: boolean) =>
    change<PublishedAttributes>('POST', `/organizations/${organization}/attributes/publish`, {
      names: null,
      dry_run: isDry,
    })
  const asked = useQuery({
    queryKey: ['organization', organization, 'publication'],
    queryFn: () => send(true),
    gcTime: 0,
  })
  const publish = useSaving({
    request: () => send(false),
    refreshes: [['organization', organization]],
    done: ({ published }) =>
      t('API keys can now read {{count, number}} more attributes.', { count: published.length }),
    onSaved: onClose,
  })
  return (
    <FormDialog
      title={t('Publish all attributes?')}
      action={t('Publish all')}
      saving={publish}
      onSubmit={publish.mutate}
      onClose={onClose}
    >
      <Loaded query={asked} lines={2}>
        {(answer) => <Publication answer={answer} />}
      </Loaded>
      <p className="soft small">
        {t('Well-known names get their usual labels and units. You can change them later.')}
      </p>
    </FormDialog>
  )
}

function Publication({ answer: { items, published, hidden } }: { answer: PublishedAttributes }) {
  const labelsOf = (names: string[]) => {
    const named = new Set(names)
    return items.flatMap(({ name, label }) => (named.has(name) ? [label] : [])).join(', ')
  }
  return (
    <>
      <p>
        {published.length === 0
          ? t('API keys can already read all attributes that are not hidden.')
          : t('API keys will also be able to read {{published}}.', {
              published: labelsOf(published),
            })}
      </p>
      {hidden.length > 0 && (
        <p>
          {t('Hidden attributes stay hidden: {{hidden}}. Publish them one by one.', {
            hidden: labelsOf(hidden),
          })}
        </p>
      )}
    </>
  )
}
