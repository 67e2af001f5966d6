"""Plans in and out: as JSON, as Markdown, as plain data, from one store or dialect to another."""
