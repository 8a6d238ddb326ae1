import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { change } from '../api/client.ts'
import type { PublishedAttributes } from '../api/types.ts'
import { t } from '../language/text.ts'
import { Dialog, SubmitOrCancel } from '../ui/dialog/Dialog.tsx'
import { toast } from '../ui/dialog/Toast.tsx'
import { Form } from '../ui/form/Form.tsx'
import { Loaded } from '../ui/state/Loaded.tsx'

type PublishAllProps = { organization: number; onClose: () => void }

/** Shows all that devices send to keys, after a look at what that changes. */
export function PublishAll({ organization, onClose }: PublishAllProps) {
  const client = useQueryClient()
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
  const publish = useMutation({
    mutationFn: () => send(false),
    onSuccess: ({ published }) => {
      toast(t('Keys see {{count, number}} more attributes.', { count: published.length }))
      onClose()
      return client.invalidateQueries({ queryKey: ['organization', organization] })
    },
  })
  return (
    <Dialog title={t('Publish all attributes?')} onClose={onClose}>
      <Form error={publish.error} onSubmit={() => publish.isPending || publish.mutate()}>
        <Loaded query={asked} lines={2}>
          {(answer) => <Publication answer={answer} />}
        </Loaded>
        <p className="soft small">
          {t('Well-known names get their usual labels and units. You can change them later.')}
        </p>
        <SubmitOrCancel action={t('Publish all')} isBusy={publish.isPending} onCancel={onClose} />
      </Form>
    </Dialog>
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
