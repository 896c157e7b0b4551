import { PowerControl } from '#web/staff/developer/power-tools.tsx';
import { Frame } from './frame.tsx';

export default function PowerControlPage() {
  return (
    <Frame title="Power control" lead="Turn the Green Room lights on or off. They stay that way until you change them.">
      <PowerControl />
    </Frame>
  );
}
