/** A row of a list of facts: a name and its value. */
export function Row({ name, value }: { name: string; value: string }) {
  return (
    <div className="flex flex-wrap justify-between gap-x-6 bg-booth px-5 py-3">
      <dt className="text-fog">{name}</dt>
      <dd className="font-bold">{value}</dd>
    </div>
  );
}
