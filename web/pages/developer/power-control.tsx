import { PowerControl } from '#web/staff/developer/power-tools.tsx';
import { Frame } from './frame.tsx';

export default function PowerControlPage() {
  return (
    <Frame title="Power control" lead="The Green Room lights, by hand. They stay on or off until you change them.">
      <PowerControl />
    </Frame>
  );
}
