import { PlugTest } from '#web/staff/developer/power-tools.tsx';
import { Frame } from './frame.tsx';

export default function TestSmartPlugPage() {
  return (
    <Frame title="Smart plug test" lead="Switches the plug on, and off again after two seconds.">
      <PlugTest />
    </Frame>
  );
}
