"""Audio sets: messages of users as speech, proved to keep every value, spoken and transcribed."""
