import { t } from '../language/text.ts'
import { Dialog } from '../ui/dialog/Dialog.tsx'
import './Shortcuts.css'

/** The keys of the console. */
export function Shortcuts({ onClose }: { onClose: () => void }) {
  const keys: [keys: string[], what: string][] = [
    [['Ctrl K'], t('Find vehicles, places, people and pages')],
    [['/'], t('Search on this page')],
    [['↑', '↓'], t('Choose a result')],
    [['↵'], t('Open the result')],
    [['Ctrl ↵'], t('Show the vehicle on the map')],
    [['Esc'], t('Close')],
    [['?'], t('Show keyboard shortcuts')],
  ]
  return (
    <Dialog title={t('Keyboard shortcuts')} onClose={onClose}>
      <dl className="shortcuts">
        {keys.map(([each, what]) => (
          <div key={what}>
            <dt>
              {each.map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  )
}
